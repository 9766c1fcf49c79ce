import type { Facts, Failure } from '../types.ts'
import { infinitive, quoted } from './words.ts'

/** Waits for the site's owner; nothing was changed, since WordPress checks before it acts. */
const owner = (happened: (facts: Facts) => string, todo: string) =>
  ({ fault: 'owner', action: 'owner', effect: 'none', happened, todo }) satisfies Failure

/** As above; connecting the site again mends it, or may. */
const reconnect = (...failure: Parameters<typeof owner>) =>
  ({ ...owner(...failure), reconnect: true }) satisfies Failure

export const ownerFailures = {
  authorization_stripped: owner(
    ({ site }) =>
      `The server of ${site} removes the Authorization header, so WordPress never sees Galley's credentials.`,
    'Ask its host to pass the header on to PHP (for Apache: CGIPassAuth On, or a rewrite rule that sets HTTP_AUTHORIZATION).',
  ),
  password_wrong: reconnect(
    ({ site, said }) => `${site} does not accept the application password for this username${quoted(said)}.`,
    'It may belong to another user, or have been revoked: connect the site again with the user’s login name and a new application password.',
  ),
  username_unknown: reconnect(
    ({ site, said, username }) =>
      username === undefined
        ? `${site} has no user by the name given${quoted(said)}.`
        : `${site} does not accept this username and application password, and shows no user by the name “${username}”.`,
    "Connect the site again with the user's login name, which is shown in WordPress under Users. If the name is right, create a new application password.",
  ),
  application_passwords_off: reconnect(
    ({ site, said }) => `Application passwords are switched off on ${site}${quoted(said)}.`,
    'They need https, and a plugin may switch them off: for everybody (Wordfence, unless its option “Disable WordPress application passwords” is off; All In One Security by “Disable application password”), or for this user (Disable Application Passwords for Humans, for whoever has logged in once). Allow them, or, where it is this user alone, give Galley one of its own that nobody logs in as; then connect again.',
  ),
  not_logged_in: reconnect(
    ({ site, said, username }) =>
      `${site} treats Galley as a visitor, and does not say why${quoted(said)}${username === undefined ? '' : `; it has a user by the name “${username}”`}.`,
    'The username or the application password is wrong, or application passwords are switched off for this user, or the server removes the Authorization header. Connect the site again with the login name that is shown under Users in WordPress and a new application password; if WordPress offers none, a plugin has switched them off for the user. If the new one is refused too, ask the host to pass the header on to PHP (for Apache: CGIPassAuth On, or a rewrite rule that sets HTTP_AUTHORIZATION).',
  ),
  visitors_refused: reconnect(
    ({ site, said }) =>
      `A plugin on ${site} refuses requests to the REST API before WordPress has checked who is signing in${quoted(said)}.`,
    'All In One Security does that by its option “Disallow unauthorized REST requests”: switch it off. If it is off, connect the site again with a new application password.',
  ),
  not_wordpress: owner(
    ({ site, found }) =>
      `At ${site} there is no WordPress with a REST API; it shows ${found ?? 'something else'}.`,
    'Enter the address where the blog itself is read.',
  ),
  https_expected: owner(
    ({ site }) => `The server at ${site} expects https and was called over plain http.`,
    'Give the address with https://.',
  ),
  rights_missing: reconnect(
    ({ site, doing, said }) =>
      `The WordPress user Galley signs in as on ${site} is not allowed to ${infinitive(doing)}${quoted(said)}.`,
    'Give that user a role that allows it, or connect the site as another user. If its role does, a security plugin refuses Galley: find the one whose words these are, and let it exempt that user, or Galley’s address.',
  ),
  cannot_publish: owner(
    ({ site, said }) =>
      `The WordPress user Galley signs in as on ${site} is not allowed to publish${quoted(said)}.`,
    'Make the user an author or editor, or let the site take pending posts.',
  ),
  cannot_upload: owner(
    ({ site, said }) =>
      `The WordPress user Galley signs in as on ${site} is not allowed to upload files${quoted(said)}.`,
    'Make the user an author or editor.',
  ),
  cannot_create_terms: owner(
    ({ site, said }) =>
      `The WordPress user Galley signs in as on ${site} is not allowed to create categories or tags${quoted(said)}.`,
    'Make the user an editor, or create the terms in WordPress first.',
  ),
  setting_refused: owner(
    ({ site, setting, said }) =>
      `${site} does not accept what the site’s setting “${setting}” names${quoted(said)}.`,
    'It was probably removed in WordPress: change that setting of the site in Galley, and what waits for the site continues.',
  ),
} satisfies Record<string, Failure>
