export declare const fromSource: <Module>(path: string) => Promise<Module>;
