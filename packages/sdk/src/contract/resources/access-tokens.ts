export const accessTokens = {
  name: 'accessTokens',
  singular: 'access token',
  plural: 'access tokens',
  heading: 'Access tokens',
  about: "The caller's own tokens. A token works in every organization of its owner. Its secret is shown once.",
  title: 'description',
} as const;
