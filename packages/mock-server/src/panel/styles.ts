/**
 * The panel's own colors and sizes: nothing of the page reaches into its shadow tree. Its button is above those that other
 * developer tools put into the corners.
 */
export const styles = `
:host {
  all: initial; direction: ltr;
  --back: #fff; --front: #1c2024; --quiet: #5b6470; --line: #8b93a0; --soft: #f1f2f5; --accent: #4a4ad0; --bad: #b3261e;
  color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; text-align: start; letter-spacing: normal;
}
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; --back: #16181c; --front: #eceef1; --quiet: #a9b1bd; --line: #6d7684; --soft: #23262c; --accent: #aeb0ff; --bad: #ff9a92; }
@media (prefers-color-scheme: dark) {
  :host(:not([theme=light])) { --back: #16181c; --front: #eceef1; --quiet: #a9b1bd; --line: #6d7684; --soft: #23262c; --accent: #aeb0ff; --bad: #ff9a92; }
}
* { box-sizing: border-box; }
.launch, .panel { position: fixed; right: 12px; bottom: 12px; z-index: 2147483000; }
.launch { bottom: 72px; }
.left .launch, .left .panel { right: auto; left: 12px; }
.top .launch, .top .panel { bottom: auto; top: 12px; }
.panel {
  display: flex; flex-direction: column; width: min(440px, calc(100vw - 24px)); max-height: calc(100vh - 24px);
  overflow: hidden; background: var(--back); color: var(--front); border: 1px solid var(--line); border-radius: 10px;
  box-shadow: 0 8px 30px #0005;
}
.page .panel { position: static; width: auto; max-height: none; border: 0; box-shadow: none; background: none; }
.page .body { columns: 24rem; column-gap: 32px; padding: 0; overflow: visible; }
.page section { break-inside: avoid; }
.head { display: flex; align-items: center; gap: 8px; padding: 8px 12px; border-bottom: 1px solid var(--line); }
.head h2 { margin: 0 auto 0 0; font-size: 15px; }
.body { overflow: auto; padding: 0 12px 12px; }
section { padding: 10px 0; border-bottom: 1px solid var(--soft); min-width: 0; }
section > h2, h3 { margin: 0 0 6px; font-size: 14px; }
p { margin: 0 0 6px; }
small, .quiet { color: var(--quiet); font-size: 13px; }
.row, form { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin-bottom: 6px; }
label { color: var(--quiet); font-size: 13px; }
strong { flex-basis: 100%; margin-top: 4px; font-weight: 600; }
.row:empty { display: none; }
input[type=number] { width: 6rem; }
button, input, select {
  font: inherit; font-size: 13px; min-height: 28px; padding: 2px 8px; color: var(--front); background: var(--back);
  border: 1px solid var(--line); border-radius: 6px; max-width: 100%;
}
button { cursor: pointer; background: var(--soft); }
button[aria-pressed=true] { background: var(--accent); color: var(--back); border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.launch { display: flex; align-items: center; cursor: pointer; background: var(--back); border: 1px solid var(--accent); border-radius: 99px; }
.launch button { font-weight: 600; background: none; color: var(--accent); border: 0; border-radius: 99px; padding: 6px 14px; }
ul { list-style: none; margin: 0; padding: 0; }
li { display: flex; gap: 6px; align-items: baseline; justify-content: space-between; padding: 2px 0; min-width: 0; }
li > details { min-width: 0; flex: 1; }
summary { cursor: pointer; overflow-wrap: anywhere; }
code, pre { font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 4px 0; padding: 6px; background: var(--soft); border-radius: 6px; white-space: pre-wrap; }
.bad { color: var(--bad); }
.message { padding: 6px 12px; margin: 0; border-bottom: 1px solid var(--soft); overflow-wrap: anywhere; }
.message:empty { display: none; }
.launch[data-badge]::after { content: attr(data-badge); margin-right: 8px; padding: 0 6px; font-size: 13px; border-radius: 99px; background: var(--bad); color: var(--back); }
.requests { max-height: 16rem; overflow: auto; }
[hidden] { display: none; }
`;
