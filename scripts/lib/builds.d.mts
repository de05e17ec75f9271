export declare const builtFile: (folder: string, file: string) => string;
