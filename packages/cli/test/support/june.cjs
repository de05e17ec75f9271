// The built program starts at the time of the tests, in which the demo data are recent.
const { now } = Date;
const shift = Date.parse('2026-06-01T12:00:00Z') - now();
const shifted = () => now() + shift;

globalThis.Date = new Proxy(Date, {
  construct: (target, values, made) => Reflect.construct(target, values.length === 0 ? [shifted()] : values, made),
  get: (target, name) => (name === 'now' ? shifted : Reflect.get(target, name)),
});
