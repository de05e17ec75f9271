// As loaders that cannot require() modules load it: Node 20.18 and older bundled runtimes.
console.log(typeof require('@mkt/sdk').Marketplace, typeof require('@mkt/sdk/contract').endpoints);
