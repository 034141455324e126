package bucket

// CheckRedirect decides about redirects.
var CheckRedirect = checkRedirect
