// Writes a CycloneDX bill of materials of everything that the published packages hold or install: to sbom.cdx.json, or to the
// file that is named.
// Not `npm sbom`: it knows nothing of what is bundled into the command line, and wants a version of every example.
// Equal lockfiles give equal files: there is no time and no random number in it.
import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLockfile } from './lib/lockfile.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = resolve(process.argv[2] ?? join(root, 'sbom.cdx.json'));
process.chdir(root);

const { manifests, reach } = readLockfile();
const all = reach([...manifests.keys()]);

const purl = ({ name, version }) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
// One package may be installed in two places; it is one component.
const components = new Map(all.map((each) => [purl(each), each]));
const purlAt = new Map(all.map((each) => [each.path, purl(each)]));

const hashes = (integrity) =>
  (integrity ?? '').split(' ').flatMap((each) => {
    const [, algorithm, digest] = /^sha(1|256|384|512)-(.+)$/.exec(each) ?? [];
    if (!digest) return [];
    return [{ alg: `SHA-${algorithm}`, content: Buffer.from(digest, 'base64').toString('hex') }];
  });

/** An SPDX expression, an id, or what the package says. */
const licenses = (license) => {
  if (!license) return [];
  if (/ (OR|AND|WITH) /.test(license)) return [{ expression: license }];
  return [{ license: /^[\w.+-]+$/.test(license) ? { id: license } : { name: license } }];
};

const component = (each) => {
  const { name, version, license, integrity, path } = each;
  const own = manifests.get(path);
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: own?.bin && !own.exports ? 'application' : 'library',
    'bom-ref': purl(each),
    ...(scope && { group: scope }),
    name: bare,
    version,
    licenses: licenses(license ?? own?.license),
    hashes: hashes(integrity),
    purl: purl(each),
  };
};

const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', 'bom-ref': 'mkt-workspace', name: 'mkt-workspace' } },
  components: [...components.values()].map(component),
  dependencies: [
    { ref: 'mkt-workspace', dependsOn: [...manifests.keys()].map((path) => purlAt.get(path)) },
    ...[...components].map(([ref, { needs }]) => ({
      ref,
      dependsOn: [...new Set(needs.flatMap((path) => purlAt.get(path) ?? []))],
    })),
  ],
};

writeFileSync(output, `${JSON.stringify(bom, null, 2)}\n`);
process.stdout.write(`Wrote ${output}: ${bom.components.length} components.\n`);
