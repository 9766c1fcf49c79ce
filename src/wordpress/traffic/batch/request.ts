import { LARGEST_BATCH, uncached, type WordPressRequest } from '../../client/index.ts'
import type { Member } from './member.ts'

/** Several requests as one. Each is kept apart from what a plugin caches by address, as the batch itself is. */
export const batchOf = (members: Member[]): WordPressRequest => ({
  method: 'POST',
  path: '/batch/v1',
  data: {
    requests: members.map(({ method, path, body }) => ({ method, path: uncached(path), body })),
  },
  doing: 'sending several requests at once',
  subject: 'post',
  maxBytes: LARGEST_BATCH,
})
