import { z } from 'zod'

/** How a site stands, as answers say it. */
export const siteStatusSchema = z
  .enum(['connected', 'problem', 'paused', 'needs_owner', 'stopped'])
  .describe(
    'problem: the last check found something that deliveries do not get past; they are still tried. paused: tried again at paused_until. needs_owner: nothing is sent until somebody acts. stopped: by hand; nothing is sent until somebody resumes it.',
  )
