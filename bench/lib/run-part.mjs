// `node run-part.mjs <suite> <part> <options as JSON>`: measures one part in a process of its own, so that it does not affect the
// next one, and sends its section to the parent.
const [suite, name, options] = process.argv.slice(2);
const { quick, rounds } = JSON.parse(options);

try {
  const part = await import(`../${suite}/${name}.mjs`);
  const sizes = { ...part.sizes, ...(quick && part.quickSizes), ...(rounds && part.sizes.rounds && { rounds }) };
  const inWords = Object.entries(sizes).map(([what, size]) => `${what}: ${size.toLocaleString('en')}`);
  process.send({ section: { title: part.title, sizes: inWords.join(', '), ...(await part.run(sizes)) } });
} catch (error) {
  // What a quick run needs is in the root install; the rivals are not.
  const absent = /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
  if (!quick || !absent) throw error;
  process.send({ skipped: `${absent} is not installed` });
}
// The channel to the parent would keep an otherwise finished process.
process.disconnect();
