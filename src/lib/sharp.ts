/** Loads sharp with the first picture, and without its cache: that would keep 50 MB of pictures that nobody asks for again. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  return sharp
}
