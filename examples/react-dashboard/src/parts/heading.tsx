import { useEffect, useRef } from 'react';
import { hasMoved } from '../route.js';

/**
 * The heading of a screen and the title of the tab. It gets the focus on navigation, so that keyboard and screen reader
 * users start at the top, as on a new page.
 */
export function Heading({ children }: { readonly children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasMoved()) heading.current?.focus();
  }, []);
  return (
    <>
      <title>{`${children} · Campaign desk`}</title>
      <h1 ref={heading} tabIndex={-1}>
        {children}
      </h1>
    </>
  );
}
