import { join } from 'node:path';
import ts from 'typescript';

/**
 * What an editor shows for the name before each `|` of a program.
 * @param folder - where the program would be, with its `node_modules`.
 * @param program - TypeScript with a `|` behind every name that is looked at.
 */
export function quickInfo(folder: string, program: string): string[] {
  const file = join(folder, 'looked-at.mts');
  const source = program.replaceAll('|', '');
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ module: ts.ModuleKind.NodeNext, strict: true, types: [] }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = path === file ? source : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: ts.sys.readFile,
  });
  const ends = program.split('|').slice(0, -1);
  return ends.map((_, index) => {
    const before = ends.slice(0, index + 1).join('').length;
    const info = service.getQuickInfoAtPosition(file, before - 1);
    return `${ts.displayPartsToString(info?.displayParts)}: ${ts.displayPartsToString(info?.documentation)}`;
  });
}
