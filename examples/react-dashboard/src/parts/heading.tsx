import { useEffect, useRef } from 'react';
import { hasMoved } from '../route.js';

/**
 * The heading of a screen, and the title of the tab. It takes the focus when somebody goes to the screen, so that who
 * uses a keyboard or a screen reader starts at its top, as on a new page.
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
