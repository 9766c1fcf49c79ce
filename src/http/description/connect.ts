import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'

const page = { 'text/html': { schema: z.string() } }
const requestParams = {
  path: z.object({
    token: z.string().describe('As in the address of the link, which was shown when it was created.'),
  }),
}

const responses = (found: string, next: string) => ({
  200: { description: found, content: page },
  302: { description: next },
  303: { description: next },
  '4XX': { description: 'A page that says what is wrong, and what to do.', content: page },
  default: { description: 'A page that says what is wrong.', content: page },
})

/** The page of a connect link, for the owner of a site; the pages after it are between browser, WordPress and Galley. */
export const connectDescription: ZodOpenApiPathsObject = {
  '/connect/{token}': {
    get: {
      operationId: 'openConnectLink',
      summary: 'Open a connect link, in a browser',
      description:
        'Who asks for what, and the way to the approval page of WordPress. Nothing changes by opening it.',
      tags: ['Connect links'],
      security: [],
      requestParams,
      responses: responses('The page.', 'To the page that fits what became of the link.'),
    },
    post: {
      operationId: 'answerConnectLink',
      summary: 'Connect a site through a connect link, with its owner’s password',
      description: 'What the form on the page sends, for sites whose approval page cannot lead back.',
      tags: ['Connect links'],
      security: [],
      requestParams,
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            schema: z.object({ state: z.string(), user_login: z.string(), password: z.string() }),
          },
        },
      },
      responses: responses('The page, with what was wrong.', 'To the page that says how it went.'),
    },
  },
}
