/** The assistants whose settings `mkt mcp install` knows. */
export const clientNames = ['claude', 'claude-code', 'cursor', 'vscode', 'windsurf'] as const;
export type ClientName = (typeof clientNames)[number];
