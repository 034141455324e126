package pages

// For the tests of this package.
var SlugKey = slugKey
