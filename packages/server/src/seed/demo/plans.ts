/** What tells the demo's campaigns apart; everything else about them follows from their number. */
export type Plan = readonly [name: string, category: string, contentType: string, platforms: string, countries: string];

/** Campaigns 1 to 45, in order: Acme Cosmetics. */
export const acmePlans: readonly Plan[] = [
  ['Summer UGC Campaign', 'product', 'ugc', 'youtube tiktok', 'US'],
  ['Hydra Serum waiting list', 'product', 'ugc', 'tiktok', 'US CA'],
  ['<b>Bold</b> launch', 'beauty', 'ugc', 'youtube tiktok', 'US'],
  ['Lip tint shade finder', 'beauty', 'ugc', 'tiktok instagram', 'GB IE'],
  ['Winter rescue balm', 'skincare', 'review', 'youtube', 'US CA'],
  [
    'Back to school: thirty second morning routines with our refillable vitamin C day cream, ' +
      'filmed by students and teachers!',
    'skincare',
    'ugc',
    'youtube tiktok instagram',
    'US CA GB AU NZ IE',
  ],
  ['夏のコスメ祭り 🌸', 'beauty', 'ugc', 'tiktok', 'JP'],
  ['Sunscreen for runners', 'skincare', 'ugc', 'youtube tiktok', 'US AU'],
  ['Refill station stories', 'sustainability', 'story', 'instagram', 'DE AT CH'],
  ['Retinol, explained by nurses', 'skincare', 'review', 'youtube', 'US'],
  ['Five minute office makeup', 'beauty', 'tutorial', 'youtube tiktok', 'US CA'],
  ['Crème de nuit: avant et après', 'skincare', 'ugc', 'instagram', 'FR BE'],
  ['Curl week', 'haircare', 'tutorial', 'tiktok instagram', 'US BR'],
  ['Festival glitter, biodegradable', 'beauty', 'ugc', 'tiktok', 'GB'],
  ["Mother's Day gift sets", 'gifts', 'unboxing', 'youtube instagram', 'US CA'],
  ['Barbershop beard oil', 'grooming', 'ugc', 'youtube tiktok', 'US'],
  ['Travel minis in hand luggage', 'product', 'unboxing', 'tiktok', 'US GB DE'],
  ['Sensitive skin diary', 'skincare', 'story', 'instagram', 'SE NO DK'],
  ['Brow gel stress test', 'beauty', 'review', 'tiktok', 'US'],
  ['Holiday advent calendar', 'gifts', 'unboxing', 'youtube tiktok', 'US CA GB'],
  ['Micellar water & nothing else', 'skincare', 'ugc', 'tiktok instagram', 'ES PT'],
  ['Nail art Mondays', 'beauty', 'tutorial', 'tiktok', 'US MX'],
  ['Clay mask roommates', 'skincare', 'ugc', 'youtube tiktok', 'US'],
  ['Scalp care for swimmers', 'haircare', 'review', 'youtube', 'AU NZ'],
  ['Spring clean your vanity', 'product', 'ugc', 'instagram', 'US CA'],
  ['Foundation in forty shades', 'beauty', 'tutorial', 'youtube', 'US NG ZA'],
  ['Hand cream in the workshop', 'product', 'story', 'tiktok', 'US'],
  ['Dry shampoo, day three', 'haircare', 'ugc', 'tiktok', 'GB IE'],
  ['Eyeliner with one hand', 'beauty', 'tutorial', 'tiktok instagram', 'US'],
  ['Perfume layering', 'fragrance', 'review', 'youtube instagram', 'FR IT'],
  ['Lash serum, week by week', 'beauty', 'story', 'instagram', 'US CA'],
  ['Overnight mask in a van', 'skincare', 'ugc', 'youtube', 'US'],
  ['Solid shampoo on the trail', 'sustainability', 'ugc', 'tiktok', 'CA'],
  ['Blush placement by face shape', 'beauty', 'tutorial', 'tiktok', 'US IN'],
  ['Graduation day glow', 'product', 'ugc', 'tiktok instagram', 'US'],
  ['Men who moisturise', 'grooming', 'story', 'youtube', 'GB DE'],
  ['Body butter, honest reviews', 'skincare', 'review', 'youtube tiktok', 'US'],
  ['Setting spray in the rain', 'beauty', 'ugc', 'tiktok', 'GB'],
  ['Teen skin without filters', 'skincare', 'story', 'tiktok instagram', 'US CA'],
  ['Autumn palette preview', 'beauty', 'unboxing', 'youtube', 'US'],
  ['Deodorant swap challenge', 'sustainability', 'ugc', 'tiktok', 'NL BE DE'],
  ['Bridal makeup trial', 'beauty', 'tutorial', 'instagram', 'US IN'],
  ['Night shift skincare', 'skincare', 'ugc', 'youtube tiktok', 'US PH'],
  ['Lip oil taste test', 'product', 'review', 'tiktok', 'US KR'],
  ['Year in review: top ten products', 'product', 'review', 'youtube', 'US CA GB'],
];

/** Campaigns 46 and 47: Globex Snacks. */
export const globexPlans: readonly Plan[] = [
  ['Crunch heard round the office', 'food', 'ugc', 'tiktok instagram', 'US'],
  ['Chili chips dare', 'food', 'ugc', 'youtube tiktok', 'US MX'],
];
