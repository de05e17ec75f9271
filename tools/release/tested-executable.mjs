// Before the tests of the command line as an executable: builds the one of this system.
import { installOnce } from '../../scripts/lib/installed.mjs';
import { buildExecutable, ownSystem } from './executable.mjs';

export default async function setUp({ config }) {
  installOnce(import.meta.dirname);
  await buildExecutable(ownSystem(), config.env.MKT_TEST_BUILT);
}
