/** The text of a file, read when the package is built. */
declare module '*?raw' {
  const text: string;
  export default text;
}

/** A file that browsers load, with all that it imports: scripts/lib/bundled-assets.mjs. */
declare module '*?bundle' {
  const asset: { readonly version: string; readonly text: string };
  export default asset;
}
