/** The text of a file, read when mkt is built. */
declare module '*?raw' {
  const text: string;
  export default text;
}
