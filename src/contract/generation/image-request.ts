import { z } from 'zod'
import { imageBackgrounds, imageFormats, imageQualities, imageSizes, imageStyles } from './choices.ts'
import { always, model, webhookUrl, words } from './request-members.ts'
import type { ImageRequest } from './requests.ts'

/** Body of `POST /v1/image/create`. */
export const imageRequestSchema = z
  .strictObject({
    prompt: words(10, 2_000).describe('What it shows: subjects, colours, positions, layout.'),
    model: model.default('standard').describe('The tier of models.'),
    style: z.enum(imageStyles).default('photograph'),
    size: z
      .enum(imageSizes)
      .default('landscape')
      .describe('landscape and auto: 1536x1024 pixels, square: 1024x1024, portrait: 1024x1536.'),
    quality: z.enum(imageQualities).default('high'),
    format: z.enum(imageFormats).default('png'),
    background: z.enum(imageBackgrounds).default('auto').describe('transparent is not for jpeg.'),
    webhook_url: webhookUrl,
  })
  .refine(({ format, background }) => format !== 'jpeg' || background !== 'transparent', {
    path: ['background'],
    error: 'cannot be transparent in a jpeg: choose png or webp as the format',
    when: always,
  })
  .transform(({ webhook_url, ...sent }): ImageRequest => ({ ...sent, webhook_url: webhook_url ?? null }))
