declare module 'asciichart' {
  interface Options {
    readonly height?: number;
    readonly colors?: readonly string[];
    readonly format?: (value: number) => string;
  }
  const asciichart: { plot(series: readonly (readonly number[])[], options?: Options): string };
  export default asciichart;
}
