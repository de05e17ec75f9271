// What the build gives cli-table3 in place of string-width 4: that one compiles a pattern of all emoji of 2019 at its first
// use, which takes longer than everything else about a table.
const measure = require('fast-string-truncated-width').default;

/** ASCII, and what table.ts puts in place of everything else: one column each. */
const NARROW = /^[\x20-\x7e\ue000]*$/;

module.exports = (text) => (NARROW.test(text) ? text.length : measure(text).width);
