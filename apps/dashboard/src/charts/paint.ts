/** Converts design tokens to canvas colours and patterns. */

/** The computed colour of a custom property at this element, in the current colour scheme. */
export function colorOf(element: HTMLElement, property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A fill that distinguishes outcomes without colour, like the swatches of the legend. */
export function patternOf(
  color: string,
  ground: string,
  pattern: 'solid' | 'stripes' | 'cross' | 'dots' | 'outline',
): string | CanvasPattern {
  if (pattern !== 'stripes' && pattern !== 'dots') return color;
  const scale = Math.max(1, Math.round(devicePixelRatio));
  const size = (pattern === 'stripes' ? 5 : 4) * scale;
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const paint = tile.getContext('2d');
  if (paint === null) return color;
  paint.fillStyle = color;
  paint.fillRect(0, 0, size, size);
  paint.fillStyle = ground;
  paint.strokeStyle = ground;
  paint.globalAlpha = 0.55;
  if (pattern === 'dots') {
    paint.beginPath();
    paint.arc(size / 2, size / 2, scale * 0.9, 0, Math.PI * 2);
    paint.fill();
  } else {
    paint.lineWidth = scale * 1.2;
    paint.beginPath();
    for (const shift of [-size, 0, size]) {
      paint.moveTo(shift, size);
      paint.lineTo(shift + size, 0);
    }
    paint.stroke();
  }
  return paint.createPattern(tile, 'repeat') ?? color;
}
