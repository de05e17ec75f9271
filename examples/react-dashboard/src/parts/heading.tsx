import { useEffect, useRef } from 'react';

/**
 * The heading of a screen, and the title of the tab. It takes the focus when the screen appears, as a new page would: who
 * uses a keyboard or a screen reader starts at its top.
 */
export function Heading({ children }: { readonly children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <title>{`${children} · Campaign desk`}</title>
      <h1 ref={heading} tabIndex={-1}>
        {children}
      </h1>
    </>
  );
}
