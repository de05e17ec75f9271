// Checks the files in deploy/ with the tools that read them: `node tools/deploy/check.mjs [folder]`. Says which tool is missing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../../scripts/lib/installed.mjs';

const tools = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(tools, '../../deploy'));

const report = (what, problem) => {
  process.stdout.write(problem ? `FAILED  ${what}\n${problem}\n` : `ok      ${what}\n`);
  if (problem) process.exitCode = 1;
};

/** Runs a tool that may be missing. */
function check(what, [program, ...args], remedy) {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) process.stdout.write(`skipped ${what}: there is no ${program}. ${remedy}\n`);
  // Some problems are only warnings.
  else report(what, status === 0 && stderr === '' ? null : (stdout + stderr).trim());
}

// The program of the unit need not be installed where it is checked.
const copies = mkdtempSync(join(tmpdir(), 'mkt-deploy-'));
const unit = join(copies, 'mkt@4010.service');
writeFileSync(unit, readFileSync(join(folder, 'systemd/mkt@.service'), 'utf8').replaceAll('/usr/bin/mkt', '/bin/true'));
check('systemd unit', ['systemd-analyze', 'verify', '--man=no', unit], 'It is part of systemd.');
rmSync(copies, { recursive: true });

const prometheus = 'Install the Debian package prometheus.';
check('alert rules', ['promtool', 'check', 'rules', join(folder, 'prometheus/alerts.yaml')], prometheus);
check(
  'tests of the alert rules',
  ['promtool', 'test', 'rules', join(folder, 'prometheus/alerts.test.yaml')],
  prometheus,
);

installOnce(tools);
const { parseAllDocuments } = await import('yaml');
for (const document of parseAllDocuments(readFileSync(join(folder, 'kubernetes/mkt.yaml'), 'utf8'))) {
  const manifest = document.toJS();
  const { apiVersion, kind } = manifest;
  let problem = document.errors.join('\n');
  try {
    const models = await import(`kubernetes-models/${apiVersion}/${kind}`);
    new models[kind](manifest).validate();
  } catch (error) {
    problem ||= error.message;
  }
  report(`Kubernetes ${kind}`, problem);
}
