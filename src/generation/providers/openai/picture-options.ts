import { type ImageQuality, type ImageSize, imageDimensions } from '../../../contract/generation/choices.ts'
import type { ModelSettings } from '../settings/schema.ts'
import type { PictureRequest } from '../types.ts'

/** What GPT image models take, unless the settings say otherwise. */
const usual = {
  sizes: ['1536x1024', '1024x1024', '1024x1536'],
  quality: { low: 'low', medium: 'medium', high: 'high' } as Record<ImageQuality, string>,
}

/**
 * The members of a request beside the prompt, as far as the model takes them. None is `response_format`, which GPT image
 * models refuse: an answer is read whether it has the picture or its address.
 */
export function pictureOptions(
  { size, quality, background, format }: PictureRequest,
  options: ModelSettings,
): Record<string, string> {
  const names = options.quality ?? usual.quality
  return {
    size: nearestSize(size, options.sizes ?? usual.sizes),
    ...(names === false ? {} : { quality: names[quality] }),
    ...(options.background === false ? {} : { background }),
    ...(options.output_format === false ? {} : { output_format: format }),
  }
}

/** Of the sizes there are the one whose shape is nearest, and of those the one that loses least. */
function nearestSize(size: ImageSize, sizes: readonly string[]): string {
  const { width, height } = imageDimensions[size]
  const distance = (text: string): number => {
    const [across = 1, down = 1] = text.split('x').map(Number)
    const shape = Math.abs(Math.log(across / down / (width / height)))
    return shape * 1000 + Math.abs(Math.log((across * down) / (width * height)))
  }
  const [first = usual.sizes[0] ?? ''] = [...sizes].sort((a, b) => distance(a) - distance(b))
  return first
}
