/** Whether two texts are equal; takes as long for a wrong guess as for the right one. */
export function timingSafeEqual(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let place = 0; place < left.length; place += 1) difference |= left.charCodeAt(place) ^ right.charCodeAt(place);
  return difference === 0;
}
