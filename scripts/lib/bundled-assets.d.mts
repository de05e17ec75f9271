import type { Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin } from 'vite';

export declare const bundledAssets: EsbuildPlugin;
export declare const viteBundledAssets: () => Plugin;
