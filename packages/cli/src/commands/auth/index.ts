export { login } from './login.js';
export { logout } from './logout.js';
export { status } from './status.js';
export { switchProfile } from './switch.js';
