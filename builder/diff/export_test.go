package diff

// DiffBlock is diffBlock for the tests in package diff_test.
var DiffBlock = diffBlock
