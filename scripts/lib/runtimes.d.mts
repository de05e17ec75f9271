export declare const installRuntime: (release: string) => string | undefined;
export declare const programOf: (release: string) => string;
