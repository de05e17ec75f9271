// As loaders that cannot require() modules load it: Node 20.18 and older bundled runtimes.
console.log(require('@mkt/sdk').Marketplace.name, typeof require('@mkt/sdk/contract').endpoints);
