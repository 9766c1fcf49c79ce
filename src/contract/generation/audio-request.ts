import { z } from 'zod'
import { model, webhookUrl, words } from './request-members.ts'
import type { AudioRequest } from './requests.ts'
import { speechMembers } from './speech-members.ts'

/** Body of `POST /v1/audio/create`. */
export const audioRequestSchema = z
  .strictObject({
    text: words(10, 100_000).describe('What is read out.'),
    ...speechMembers,
    model: model.default('standard').describe('The tier of models.'),
    webhook_url: webhookUrl,
  })
  .transform(
    ({ style, webhook_url, ...sent }): AudioRequest => ({
      ...sent,
      style: style || null,
      webhook_url: webhook_url ?? null,
    }),
  )
