export declare const installRuntime: (release: string) => string | undefined;
