/** A text that is kept or logged, without the access tokens that somebody put where an id or a query belongs. */
export const masked = (text: string): string => text.replaceAll(/mkt_[\w-]+/g, 'mkt_***');
