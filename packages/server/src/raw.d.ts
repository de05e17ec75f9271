/** The text of a file, read when the package is built. */
declare module '*?raw' {
  const text: string;
  export default text;
}
