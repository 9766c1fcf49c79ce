import { z } from 'zod'
import { yesOrNo } from '../../contract/filtering.ts'
import { line } from '../../contract/text.ts'
import { uuid } from '../../contract/wire.ts'

const name = line(100)

/** By what the audit log can be filtered; the members of a query. */
export const auditFilterSchema = z.strictObject({
  key_id: uuid.optional().describe('Only what this key did.'),
  action: name.optional().describe('Only this, such as `site.connect`.'),
  subject_kind: name
    .optional()
    .describe('Only what was done to things of this kind, such as `site` or `key`.'),
  subject_id: line(200).optional().describe('Only what was done to this one.'),
  sessions: yesOrNo
    .optional()
    .describe('false: without who signed in to the page and out of it, which may be most of the log.'),
  since: z.iso.datetime({ offset: true }).optional().describe('Only what was done then or later.'),
  until: z.iso.datetime({ offset: true }).optional().describe('Only what was done before.'),
})

/** An entry of the audit log. */
export const auditEntrySchema = z
  .object({
    id: uuid,
    at: z.iso.datetime(),
    key_id: uuid
      .nullable()
      .describe('Null where no key did it: the owner of a site, or whoever runs Galley.'),
    actor: z.string().describe('The name that the key had then; or who it was, in words.'),
    action: z.string().describe('The kind of thing and a verb: `site.connect`, `key.revoke`.'),
    subject_kind: z.string(),
    subject_id: z.string().nullable().describe('Null where there is no single one.'),
    details: z
      .record(z.string(), z.unknown())
      .describe('What was asked for, without what is secret or long in it.'),
  })
  .meta({ id: 'AuditEntry' })

export type AuditFilter = z.output<typeof auditFilterSchema>
export type AuditEntryView = z.output<typeof auditEntrySchema>
