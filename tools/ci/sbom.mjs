// Writes a CycloneDX bill of materials of the lockfile to sbom.cdx.json, or to the file that is named. It includes
// development dependencies: the command line bundles some of them, and the server contains copies of others.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../../scripts/lib/installed.mjs';

const tools = dirname(fileURLToPath(import.meta.url));
installOnce(tools);
const program = join(tools, 'node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js');
const options = ['--package-lock-only', '--flatten-components', '--output-reproducible', '--output-file'];
const { status } = spawnSync(process.execPath, [program, ...options, process.argv[2] ?? 'sbom.cdx.json'], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
