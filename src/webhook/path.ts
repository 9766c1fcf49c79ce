/** Where webhooks come in, as OpenAPI writes it: the token says from which source. */
export const webhookPath = '/v1/webhooks/{token}'

/** The whole address of a source. */
export const webhookUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}${webhookPath.replace('{token}', token)}`
