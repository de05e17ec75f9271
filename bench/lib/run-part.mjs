// `node run-part.mjs <suite> <part> <options as JSON>`: measures one part in a process of its own, so that what one leaves behind
// does not weigh on the next, and sends its section to the parent.
const [suite, name, options] = process.argv.slice(2);
const { quick, rounds } = JSON.parse(options);

/** The sizes of a part as words: `rounds: 5, seconds: 3`. */
const inWords = (sizes) =>
  Object.entries(sizes)
    .map(([what, size]) => `${what}: ${size.toLocaleString('en')}`)
    .join(', ');

try {
  const { parts } = await import(`../suites/${suite}.mjs`);
  const part = await parts[name]();
  const sizes = { ...part.sizes, ...(quick && part.quickSizes), ...(rounds && part.sizes.rounds && { rounds }) };
  process.send({ section: { title: part.title, sizes: inWords(sizes), ...(await part.run(sizes)) } });
} catch (error) {
  // What a quick run needs is in the root install; the rivals are not.
  const absent = /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
  if (!quick || !absent) throw error;
  process.send({ skipped: `${absent} is not installed` });
}
// The channel to the parent would keep an otherwise finished process.
process.disconnect();
