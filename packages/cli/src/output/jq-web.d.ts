declare module 'jq-web' {
  /** Runs jq on a JSON text; undefined when it prints nothing. Throws an Error with jq's own message. */
  interface Jq {
    raw(json: string, filter: string, flags?: string[]): string | undefined;
  }
  const jq: PromiseLike<Jq>;
  export default jq;
}
