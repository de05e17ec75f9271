import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { serveCommand } from '../src/node/index.js';

// What only this program knows of the files in deploy/. Their own tools check the rest: tools/deploy/check.mjs.

const read = (path: string): string => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8');

/** The values of flags. */
function valuesOf(args: readonly string[]): Readonly<Record<string, unknown>> {
  const command = serveCommand().exitOverride();
  expect(command.parseOptions([...args]).unknown).toEqual([]);
  return command.opts();
}

test('the systemd unit starts the server on the port of its name, and gives it time to stop', () => {
  const unit = read('systemd/mkt@.service');
  const [, line = ''] = /^ExecStart=\/usr\/bin\/mkt serve (.*) \$MKT_SERVE_FLAGS$/m.exec(unit) ?? [];
  const flags = valuesOf(line.replaceAll('%i', '4010').split(' '));
  expect(flags).toMatchObject({ port: 4010, metricsPort: 14_010, host: '127.0.0.1', json: true });
  // In the directory that the service may write to; the log has no secret.
  expect(flags.tokenFile).toBe(`/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}/token-4010`);
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) * 1000).toBeGreaterThan(Number(flags.drainDelay) + 10_000);
});

test('the Kubernetes manifests match the server: ports, probes, time to stop, connections', () => {
  const [deployment, service] = parseAllDocuments(read('kubernetes/mkt.yaml')).map((document) => document.toJS());
  const { replicas, strategy, template } = deployment.spec;
  const [container] = template.spec.containers;
  const [program, file, ...args] = container.args;
  const compose = parse(readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8'));
  expect([program, file]).toEqual(compose.services.server.command.slice(0, 2));
  const flags = valuesOf(args);
  const ports = Object.fromEntries(
    container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
  );
  expect(ports).toEqual({ http: flags.port, metrics: flags.metricsPort });
  expect([flags.host, flags.metricsHost]).toEqual(['0.0.0.0', '0.0.0.0']);
  expect(service.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
  expect(flags.tokenFile).toBe(`${container.volumeMounts[0].mountPath}/token`);
  expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  expect(container.livenessProbe.httpGet.path).toBe('/livez');
  expect(template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(Number(flags.drainDelay) + 10_000);
  expect((replicas + strategy.rollingUpdate.maxSurge) * Number(flags.dbConnections)).toBeLessThan(97);
});
