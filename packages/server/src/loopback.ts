/** Whether a name, as in a URL, leads to this machine. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d{1,3}){3}$/.test(hostname);

/** The same for addresses, where the brackets of IPv6 may be missing. */
export const isLoopbackAddress = (address: string): boolean =>
  isLoopback(address.includes(':') && !address.startsWith('[') ? `[${address}]` : address);
