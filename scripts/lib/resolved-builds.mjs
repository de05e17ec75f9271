// In each worker of tests of the builds: they would pass on the sources too.
const resolved = import.meta.resolve('@mkt/sdk');
if (!resolved.includes('/packages/sdk/dist/')) throw new Error(`@mkt/sdk is ${resolved}, not its build.`);
