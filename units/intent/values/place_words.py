"""Places that are no names of zones: well-known cities, states and regions, and the countries' other names.

Between slashes stand the names of one place in the five languages; answers have the one that was said.
"""

from collections.abc import Mapping

CITIES: Mapping[str, str] = {
    "Etc/UTC": "UTC, GMT, G M T, U T C, Greenwich, Greenwich Time,"
    " Zulu Time, Greenwich Mean Time, Coordinated Universal Time, Zulu",
    "America/New_York": "Eastern Time, Eastern, EST, EDT, East Coast, the East Coast,"
    " Washington/Washington DC/Washington D.C./华盛顿, Boston/波士顿, Philadelphia/费城,"
    " Miami/迈阿密, Orlando, Atlanta/亚特兰大, Baltimore, Charlotte, Pittsburgh, Cleveland, Brooklyn, Manhattan,"
    " New York City/NYC, Florida/Floride/佛罗里达, Ohio, Pennsylvania, Virginia, North Carolina, South Carolina,"
    " Massachusetts, New Jersey, Maryland, Connecticut, Vermont, Maine, New Hampshire, Rhode Island, Delaware,"
    " West Virginia, Michigan, New England, New York State, Upstate New York, Long Island, Queens, The Bronx, Harlem,"
    " Staten Island, South Florida, Norfolk, Eastern Standard Time, Eastern Daylight Time, US Eastern Time,"
    " Washington D C",
    "America/Chicago": "Central Time, Central, CST, CDT,"
    " Houston/休斯顿, Dallas/达拉斯, Austin, San Antonio, New Orleans, Minneapolis, Milwaukee,"
    " Memphis, Nashville, Kansas City, St. Louis, Oklahoma City, Texas/德克萨斯, Illinois, Louisiana, Minnesota,"
    " Wisconsin, Iowa, Missouri, Oklahoma, Alabama, Mississippi, Arkansas, Tennessee, Kansas, Nebraska, North Dakota,"
    " South Dakota, St. Paul, Chi Town",
    "America/Denver": "Mountain Time, Mountain, MST, MDT,"
    " Salt Lake City, Albuquerque, Colorado Springs, Colorado, Utah, Montana, New Mexico, Wyoming, Idaho",
    "America/Indiana/Indianapolis": "Indiana",
    "America/Kentucky/Louisville": "Kentucky, Lexington",
    "America/Puerto_Rico": "San Juan",
    "America/Phoenix": "Tucson, Sedona, Arizona/亚利桑那",
    "America/Los_Angeles": "Pacific Time, Pacific, PST, PDT, West Coast, the West Coast,"
    " San Francisco/旧金山, San Diego/圣地亚哥, Seattle/西雅图, Las Vegas/拉斯维加斯, Portland,"
    " Sacramento, San Jose, Oakland, Hollywood, Silicon Valley, LA,"
    " California/Kalifornien/Californie/加利福尼亚/加州, Oregon, Nevada, Vegas,"
    " Southern California, Northern California, SoCal, Bay Area, Washington State, LAX, San Fran, Frisco",
    "America/Anchorage": "AKST, AKDT, Alaska/阿拉斯加",
    "Pacific/Honolulu": "HST, Hawaii/Hawaï/Hawái/夏威夷",
    "America/Toronto": "Ottawa/渥太华, Montreal/Montréal/蒙特利尔, Quebec/Québec, Ontario",
    "America/Edmonton": "Calgary, Alberta",
    "America/Vancouver": "British Columbia",
    "America/Sao_Paulo": "Rio de Janeiro/Rio/里约热内卢/里约, Brasilia/Brasília/巴西利亚",
    "America/Lima": "Cusco/Cuzco",
    "America/Guayaquil": "Quito",
    "America/Bogota": "Medellín, Cartagena",
    "America/Mexico_City": "Guadalajara, Mexico City/Mexiko-Stadt/Ciudad de México/墨西哥城",
    "Europe/London": "BST, British Time,"
    " Edinburgh, Glasgow, Manchester/曼彻斯特, Liverpool/利物浦, Birmingham, Cardiff, Belfast, Oxford,"
    " Cambridge/剑桥, England/Angleterre/Inglaterra/英格兰, Scotland/Schottland/Écosse/Escocia/苏格兰,"
    " Wales/Pays de Galles/Gales, Northern Ireland/Nordirland",
    "Europe/Dublin": "Cork, Galway",
    "Europe/Berlin": "CET, CEST, Central European Time,"
    " Munich/München/慕尼黑, Hamburg/汉堡, Frankfurt/法兰克福, Cologne/Köln/Colonia/科隆, Stuttgart,"
    " Düsseldorf, Leipzig, Dresden, Nuremberg/Nürnberg, Hanover/Hannover, Bremen",
    "Europe/Vienna": "Salzburg, Innsbruck, Graz",
    "Europe/Zurich": "Geneva/Genf/Genève/Ginebra/日内瓦, Basel/Bâle/Basilea, Bern/Berne/Berna/伯尔尼, Lausanne",
    "Europe/Paris": "Lyon/里昂, Marseille/Marsella/马赛, Nice/尼斯, Toulouse, Bordeaux, Strasbourg/Straßburg, Lille",
    "Europe/Madrid": "Barcelona/Barcelone/巴塞罗那, Valencia, Seville/Sevilla, Bilbao, Málaga, Mallorca/Majorca",
    "Atlantic/Canary": "Tenerife/Teneriffa, Gran Canaria, the Canary Islands/Kanarische Inseln/Kanaren/Islas Canarias",
    "Europe/Lisbon": "Porto, Faro",
    "Europe/Rome": "Milan/Mailand/Milán/米兰, Naples/Neapel/Nápoles/那不勒斯, Florence/Florenz/Florencia/佛罗伦萨,"
    " Venice/Venedig/Venise/Venecia/威尼斯, Turin, Bologna, Sicily/Sizilien",
    "Europe/Amsterdam": "Rotterdam, The Hague/Den Haag, Utrecht, Eindhoven, Holland",
    "Europe/Brussels": "Antwerp/Antwerpen, Ghent/Gent, Bruges/Brügge",
    "Europe/Warsaw": "Krakow/Kraków/Krakau, Gdansk/Danzig, Wroclaw/Breslau",
    "Europe/Kiev": "Kyiv/Kiew/基辅, Lviv, Odessa",
    "Europe/Moscow": "Saint Petersburg/St. Petersburg/Sankt Petersburg/圣彼得堡",
    "Europe/Istanbul": "Ankara, Antalya, Izmir",
    "Africa/Lagos": "Abuja",
    "Africa/Johannesburg": "Cape Town/Kapstadt/Le Cap/Ciudad del Cabo/开普敦, Durban, Pretoria",
    "Africa/Casablanca": "Marrakesh/Marrakech/Marrakesch, Rabat",
    "Asia/Dubai": "Abu Dhabi/Abou Dabi/阿布扎比",
    "Asia/Riyadh": "Mecca/Mekka, Jeddah",
    "Asia/Kolkata": "IST, Indian Time,"
    " Mumbai/Bombay/孟买, Delhi/New Delhi/Neu-Delhi/新德里/德里, Bangalore/Bengaluru/班加罗尔, Chennai,"
    " Hyderabad, Goa",
    "Asia/Ho_Chi_Minh": "Saigon/西贡, Ho Chi Minh City/Ho-Chi-Minh-Stadt, Hanoi/Hanói/河内",
    "Asia/Jakarta": "Bandung, Java",
    "Asia/Makassar": "Bali/巴厘岛",
    "Asia/Shanghai": "Beijing/Peking/Pékin/Pekín/北京, Shenzhen/深圳, Guangzhou/广州, Chengdu/成都, Wuhan/武汉, 杭州,"
    " 南京, 天津, 重庆, 西安",
    "Asia/Tokyo": "JST, Osaka/大阪, Kyoto/Kioto/京都, Yokohama, Hiroshima/广岛, Sapporo",
    "Asia/Seoul": "Busan/釜山",
    "Asia/Yangon": "Rangoon",
    "Australia/Sydney": "AEST, AEDT, Canberra/堪培拉, New South Wales",
    "Australia/Brisbane": "Gold Coast, Queensland, Cairns",
    "Pacific/Auckland": "Wellington/惠灵顿, Christchurch",
}

REGIONS: Mapping[str, str] = {
    "America/New_York": "florida/fl, ohio/oh, pennsylvania/pa, virginia/va, north carolina/nc, south carolina/sc,"
    " massachusetts/ma, new jersey/nj, maryland/md, connecticut/ct, vermont/vt, maine/me, new hampshire/nh,"
    " rhode island/ri, delaware/de, west virginia/wv, michigan/mi, georgia/ga, new york/ny/new york state,"
    " washington dc/dc/d c",
    "America/Chicago": "texas/tx, illinois/il, louisiana/la, minnesota/mn, wisconsin/wi, iowa/ia, missouri/mo,"
    " oklahoma/ok, alabama/al, mississippi/ms, arkansas/ar, tennessee/tn, kansas/ks, nebraska/ne, north dakota/nd,"
    " south dakota/sd",
    "America/Denver": "colorado/co, utah/ut, montana/mt, new mexico/nm, wyoming/wy, idaho/id",
    "America/Phoenix": "arizona/az",
    "America/Los_Angeles": "california/ca/cali, oregon/or, nevada/nv, washington/wa/washington state",
    "America/Indiana/Indianapolis": "indiana/in",
    "America/Kentucky/Louisville": "kentucky/ky",
    "America/Anchorage": "alaska/ak",
    "Pacific/Honolulu": "hawaii/hi",
    "America/Toronto": "ontario/on, quebec/qc",
    "America/Edmonton": "alberta/ab",
    "America/Vancouver": "british columbia/bc",
    "America/Winnipeg": "manitoba/mb",
    "America/Regina": "saskatchewan/sk",
    "America/Halifax": "nova scotia/ns",
    "Australia/Sydney": "new south wales/nsw",
    "Australia/Melbourne": "victoria/vic",
    "Australia/Brisbane": "queensland/qld",
    "Australia/Perth": "western australia/wa australia",
    "Australia/Adelaide": "south australia",
    "Australia/Hobart": "tasmania",
}
"""Parts of large countries as they are said behind a city in English: first the name, then how it is written short."""

REGIONS_OF_SEVERAL = frozenset(
    "florida, texas, idaho, indiana, kentucky, tennessee, oregon, nebraska, kansas, north dakota, south dakota,"
    " michigan, alaska, ontario, british columbia, quebec".replace(", ", ",").split(",")
)
"""Those in which some cities have another zone."""

ALIASES: Mapping[str, str] = {
    "US": "american, usa, us, u s, u s a, america, states, united states of america, amerika, amerique,"
    " estados unidos, ee uu",
    "GB": "british, english, uk, u k, great britain, britain, grossbritannien, grande bretagne, gran bretana",
    "AE": "emirates, uae",
    "CZ": "czech, czech republic, tschechische republik",
    "KR": "korean, south korean, korea, coree, corea, 韩国",
    "NL": "dutch, nederland",
    "VN": "vietnamese, viet nam",
    "CI": "ivory coast",
    "MM": "burma",
    "TR": "turkish, turkey, turkei, turquie, turquia",
    "RU": "russian, russia",
    "CN": "chinese, china, mainland china",
    "HK": "hong kong, hongkong, 香港",
    "MO": "macau, macao, 澳门",
    "FR": "french",
    "DE": "german",
    "ES": "spanish",
    "IT": "italian",
    "JP": "japanese",
    "IN": "indian",
    "CA": "canadian",
    "AU": "australian",
    "MX": "mexican",
    "BR": "brazilian",
    "PT": "portuguese",
    "GR": "greek",
    "IE": "irish",
    "SE": "swedish",
    "NO": "norwegian",
    "DK": "danish",
    "FI": "finnish",
    "PL": "polish",
    "CH": "swiss",
    "AT": "austrian",
    "BE": "belgian",
    "EG": "egyptian",
    "IL": "israeli",
    "TH": "thai",
    "PH": "philippine, filipino",
    "ZA": "south african",
    "NZ": "kiwi",
    "AR": "argentinian, argentine",
    "UA": "ukrainian",
    "HU": "hungarian",
    "NG": "nigerian",
    "PK": "pakistani",
    "CU": "cuban",
}
"""Other names of countries, plain, by their codes."""

ZONES: Mapping[str, str] = {
    "US": "America/New_York", "CA": "America/Toronto", "AU": "Australia/Sydney", "RU": "Europe/Moscow",
    "BR": "America/Sao_Paulo", "MX": "America/Mexico_City", "ID": "Asia/Jakarta", "CN": "Asia/Shanghai",
    "ES": "Europe/Madrid", "PT": "Europe/Lisbon", "DE": "Europe/Berlin", "NZ": "Pacific/Auckland",
    "CL": "America/Santiago", "AR": "America/Argentina/Buenos_Aires", "UA": "Europe/Kiev", "KZ": "Asia/Almaty",
    "MN": "Asia/Ulaanbaatar", "CD": "Africa/Kinshasa", "EC": "America/Guayaquil", "GL": "America/Nuuk",
    "MY": "Asia/Kuala_Lumpur", "CY": "Asia/Nicosia", "UZ": "Asia/Tashkent", "PG": "Pacific/Port_Moresby",
    "PS": "Asia/Gaza",
}  # fmt: skip
"""The zone of the capital, or of the largest city, of countries that have several zones."""

SEVERAL = frozenset({"US", "CA", "AU", "RU", "BR", "MX", "ID", "CD", "GL"})
"""Countries in which many people live in another zone than that."""

HERE: Mapping[str, str] = {
    "en": "here, home, my home, my house, my city, my town, my country,"
    " this city, my location, my place, our place, where i am, my time, local time, this place",
    "de": "hier, uns, zuhause, zu hause, mir",
    "fr": "ici, chez moi, chez nous, nous, la maison",
    "es": "aqui, casa, mi casa, nosotros",
    "zh-CN": "这里, 这儿, 我们这里, 我这里, 本地, 我们",
}

ARTICLES: Mapping[str, str] = {
    "en": "the",
    "de": "der, die, das, den, dem",
    "fr": "la, le, les, l",
    "es": "el, la, los, las",
    "zh-CN": "",
}
