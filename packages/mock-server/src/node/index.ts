export { controlAddition } from './control-flags.js';
export { type TestControlsOptions, testControls } from './test-controls.js';
