export const address = {
  name: 'address',
  singular: 'address',
  plural: 'addresses',
  heading: 'Address',
  about: "The caller's one shipping address.",
  title: 'address_one',
} as const;
