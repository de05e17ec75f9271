/** The pages by their file names: `mkt.1`, and `mkt-GROUP.1` for each group of commands. */
export function manPages(release: { readonly version: string; readonly date: string }): Promise<Map<string, string>>;
