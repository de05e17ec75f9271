import type { Row } from '../../store/tables.js';

/** Where images are found: as hard to guess as those of uploads (D30), but the same in every demo. */
export const acmeLogo = 'Zk3vQ8wTn1Rb5yXc7LdUoA';
export const globexLogo = 'h6GpJ2sVx9EmKq4BfWt0Ig';
export const serumBanner = 'N7uYc3MzPa8oDe5SrHj1Xw';

const pictures = [
  // A white A on rose, 64 x 64.
  [
    acmeLogo,
    5,
    'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAABlBMVEW+GF3////s7ubkAAAAcUlEQVR42r3OsQkAIQyFYcXC0hEyiqPpaI7i' +
      'CJYWYu4SIVwC1/oK+QoJv3N3l8YvYFrkZVG2xS5/8CtXjTChacSRukbqcWhAjycIWjDI1Z+yjHhQELcGvlPwhMpddOELOstlAmrgMgE9XCag' +
      'jxwkuLcHRYpOYT8p8BEAAAAASUVORK5CYII=',
  ],
  // A pale G on orange, 64 x 64.
  [
    globexLogo,
    6,
    'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAABlBMVEXCQQz/9+3t3BVjAAAAlUlEQVR42q2RuxHEIAxEYRwQUsKVQmlQmktx' +
      'CYQONOzxWQnPhTdWwgsksbty7r363ARgvQG4JkSgTkiATMhAY+/q9qgRpcOB4nGO6d6Qx3wU7o1Vf7oIyeBUKIRs4H4BCu0BS8d/AN2adeuG' +
      'LsM3CvNCqYdQfBDaCTcNTpPDcqrPECwWC8qi22FavBa4ncCOss/0Rn0B/3RyXPzYaHQAAAAASUVORK5CYII=',
  ],
  // Rose tiles, 480 x 160.
  [
    serumBanner,
    5,
    'iVBORw0KGgoAAAANSUhEUgAAAeAAAACgAgMAAACplVfeAAAADFBMVEX98vj7z+j0cra+GF3XnLXsAAAAdElEQVR42u3QsQ0AIAwDwSzJkiwJXRiA' +
      'kAKd65dOckRu5GZu5d51YDAYDAaDwWAwGAwGg8Fg8H3nYDAYDAaDwWAwGAwGg8Fg8A9wL3c6MBgMBoPBYDAYDAaDwWAwuBLu5U4HBoPBYDAYDAaD' +
      'wWAwGAwGF3YbGu9crA1ZqJoAAAAASUVORK5CYII=',
  ],
] as const;

export const images = (): Row<'images'>[] =>
  pictures.map(([id, organization_id, base64]) => ({
    id,
    organization_id,
    type: 'image/png',
    bytes: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
  }));
