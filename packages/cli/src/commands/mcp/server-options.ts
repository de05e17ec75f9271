/** The assistants whose settings `mkt mcp install` knows. */
export const clientNames = [
  'claude',
  'claude-code',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'goose',
  'windsurf',
] as const;
export type ClientName = (typeof clientNames)[number];

/** What the tools are for. */
export const toolsets = ['read', 'write', 'history'] as const;

/** How a server is started. */
export interface ServerOptions {
  /** In front of the names of its tools. */
  readonly name: string | undefined;
  readonly toolsets: readonly string[];
  readonly allowWrite: boolean;
}
