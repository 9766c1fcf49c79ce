import { z } from 'zod'
import { outcomes } from '../receivers/events.ts'

const link = z.string().nullish()

/** What is told of a delivery or of a site; which of it is there depends on the event. */
const data = z.object({
  id: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  url: link,
  error: z.object({ message: z.string() }).nullish(),
  trouble: z.object({ message: z.string() }).nullish(),
  what_to_do: z.string().nullish(),
  site: z.object({ name: z.string() }).nullish(),
  post: z.object({ url: link, edit_url: link }).nullish(),
  findings: z.array(z.object({ seen: z.string(), means: z.string(), todo: z.string().nullable() })).nullish(),
})

const item = z.object({ event: z.enum(outcomes), at: z.string(), data })

/** What a mail tells, as it is kept in the outbox: the mail is made of it anew for each attempt. */
export const mailBodySchema = z.object({
  event: z.string(),
  id: z.string(),
  created_at: z.string(),
  sample: z.literal(true).optional(),
  receiver: z.object({ name: z.string() }),
  /** The most urgent ones first. */
  items: z.array(item),
  /** Of each event, those that are not among the items included. */
  counts: z.partialRecord(z.enum(outcomes), z.int()),
})

export type MailBody = z.output<typeof mailBodySchema>
export type MailItem = MailBody['items'][number]
