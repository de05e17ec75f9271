import type { Exchange } from '../http/exchange.js';

/** A page of the program that runs the server. It is for this machine: the path of a proxy is not added to its links. */
export interface ExtraPage {
  readonly path: string;
  /** Also its label in the navigation. */
  readonly title: string;
  /** HTML below the title. */
  readonly content: string;
  /** Sent with the page, such as a Content-Security-Policy that permits its scripts. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Files that the page loads. Browsers cache them permanently, so a path must change with its text. */
  readonly assets?: readonly { readonly path: string; readonly type: string; readonly text: string }[];
  /** Called before the page is rendered. @throws for visitors that may not see it */
  readonly check?: (exchange: Exchange) => void;
}
